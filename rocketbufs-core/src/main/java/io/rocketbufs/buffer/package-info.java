/** Circular buffers and delivery logs: data structures without threads or I/O, and therefore easy to test. */
package io.rocketbufs.buffer;
