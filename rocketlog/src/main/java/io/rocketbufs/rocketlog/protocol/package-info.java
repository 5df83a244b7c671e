/**
 * The protocol between rocketlog's clients and broker: names, messages, and the layouts of buffers and shared words.
 */
package io.rocketbufs.rocketlog.protocol;
