/** The API that programs use to publish and subscribe. */
package io.rocketbufs.rbmq.client;
