/** Circular buffers and positions, without threads and I/O, testable with plain arithmetic. */
package io.rocketbufs.buffer;
