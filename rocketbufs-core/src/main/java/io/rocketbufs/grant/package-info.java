/**
 * The memory that each side of a connection grants to the other, the one-sided operations on this memory, and the
 * emulation of operations that the transport lacks.
 */
package io.rocketbufs.grant;
