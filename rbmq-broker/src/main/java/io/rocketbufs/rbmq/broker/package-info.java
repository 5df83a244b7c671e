/** The broker: its table of topics, and the splicing of publishers' buffers into them. */
package io.rocketbufs.rbmq.broker;
