/** The protocol of one connection: greeting, subscriptions of both sides, control messages, orderly end. */
package io.rocketbufs.session;
