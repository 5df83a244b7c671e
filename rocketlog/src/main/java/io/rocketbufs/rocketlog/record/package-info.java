/**
 * Kafka's record batch of version 2: its layout, a builder and a check. The same bytes are sent, held in memory and
 * stored on disk, so that no batch is ever converted. Also the layout of the memory that holds batches in a ring.
 */
package io.rocketbufs.rocketlog.record;
