/** The protocol of one connection: greeting, subscriptions of both sides, control messages, graceful end. */
package io.rocketbufs.session;
