/** Subscriptions, their queues, credit, splicing: who may receive what now, when a segment is free. */
package io.rocketbufs.delivery;
