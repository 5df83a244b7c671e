/** Circular buffers and positions, without threads or I/O, so that plain arithmetic suffices to test them. */
package io.rocketbufs.buffer;
