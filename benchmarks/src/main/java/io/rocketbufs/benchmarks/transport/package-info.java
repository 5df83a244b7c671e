/** The transport interface itself, without core's buffers, against a C program that does the same. */
package io.rocketbufs.benchmarks.transport;
