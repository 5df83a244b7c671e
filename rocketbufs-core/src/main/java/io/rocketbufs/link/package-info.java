/**
 * The sending side of a connection: its tasks, control queue and heartbeat. Independent of subscriptions and message
 * types.
 */
package io.rocketbufs.link;
