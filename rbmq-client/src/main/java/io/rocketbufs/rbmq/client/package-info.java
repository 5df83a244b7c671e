/** What a program uses to publish and to subscribe. */
package io.rocketbufs.rbmq.client;
