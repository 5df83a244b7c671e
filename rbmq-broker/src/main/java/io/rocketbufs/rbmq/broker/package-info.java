/** The broker: its table of topics, and the splicing of publishers' buffers into its output. */
package io.rocketbufs.rbmq.broker;
