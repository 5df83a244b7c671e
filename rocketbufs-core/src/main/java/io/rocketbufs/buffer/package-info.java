/** Circular buffers and positions; no threads, no I/O, testable with plain arithmetic. */
package io.rocketbufs.buffer;
