/** The broker: the table of topics, and the splicing of each publisher into them. */
package io.rocketbufs.rbmq.broker;
