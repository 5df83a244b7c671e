/**
 * The memory that each side of a connection grants the other, the one-sided operations on it, and the emulation of the
 * operations that the transport lacks.
 */
package io.rocketbufs.grant;
