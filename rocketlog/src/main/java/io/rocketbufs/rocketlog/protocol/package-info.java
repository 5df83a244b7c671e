/** The protocol between the clients and the broker of the log: names, messages, and what is in the buffers. */
package io.rocketbufs.rocketlog.protocol;
