/**
 * Definitions shared by clients and broker: the layouts of their messages, the names of topics, the broker's address,
 * and the files that contain tokens.
 */
package io.rocketbufs.rbmq.protocol;
