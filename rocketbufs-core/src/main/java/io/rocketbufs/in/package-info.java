/** Input buffers: the memory for arriving data, and the reports of its consumption to the sender. */
package io.rocketbufs.in;
