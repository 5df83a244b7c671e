/**
 * Kafka's record batch format, version 2: the layout, a builder and a validator. The same bytes are sent, held in
 * memory and stored on disk, so batches are never converted. The package also contains the layout of the memory that
 * holds batches in a ring.
 */
package io.rocketbufs.rocketlog.record;
