/** The protocol between the clients and the broker of the log: names, messages, and the contents of the buffers. */
package io.rocketbufs.rocketlog.protocol;
