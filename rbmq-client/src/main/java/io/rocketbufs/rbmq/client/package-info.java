/** The API with which programs publish and subscribe. */
package io.rocketbufs.rbmq.client;
