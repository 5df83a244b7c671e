/**
 * The protocol of one connection: the greeting, the subscriptions of both sides, control messages, and the graceful
 * end.
 */
package io.rocketbufs.session;
