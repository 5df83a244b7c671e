/**
 * Definitions that clients and broker share: the layouts of their messages, the names of topics, and the broker's
 * address.
 */
package io.rocketbufs.rbmq.protocol;
