/** The broker of the log: topics, the sessions of clients, appending, acknowledging, and the admin interface. */
package io.rocketbufs.rocketlog.broker;
