/**
 * The messages, checks and measurements of a benchmark, independent of the command line and without an allocation per
 * message.
 */
package io.rocketbufs.rbmq.bench;
