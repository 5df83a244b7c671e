/** Circular buffers and delivery logs: data structures that are easy to test, because they use no threads or I/O. */
package io.rocketbufs.buffer;
