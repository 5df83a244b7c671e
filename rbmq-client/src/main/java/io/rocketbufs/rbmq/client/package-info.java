/** The API for publishing and subscribing to topics. */
package io.rocketbufs.rbmq.client;
