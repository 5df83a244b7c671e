/** Input buffers: memory for arriving data, consumption, and the reports of consumption to the sender. */
package io.rocketbufs.in;
