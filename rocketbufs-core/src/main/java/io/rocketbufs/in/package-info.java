/** Input buffers: where arriving data lies, how much of it is consumed, and what the sender is told of that. */
package io.rocketbufs.in;
