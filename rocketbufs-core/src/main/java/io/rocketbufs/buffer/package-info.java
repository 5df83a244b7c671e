/** Circular buffers and positions: pure arithmetic without threads or I/O, which is therefore easy to test. */
package io.rocketbufs.buffer;
