/** What clients and broker share: the layouts of their messages, the names of topics, and where a broker listens. */
package io.rocketbufs.rbmq.protocol;
