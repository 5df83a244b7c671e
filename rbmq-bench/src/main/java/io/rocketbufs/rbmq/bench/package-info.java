/**
 * The messages, checks and measurements of a benchmark. They are independent of the command line, and do not allocate
 * memory per message.
 */
package io.rocketbufs.rbmq.bench;
