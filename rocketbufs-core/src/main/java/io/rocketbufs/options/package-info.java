/** The options of buffers and subscriptions that applications pass in, and their vocabulary. */
package io.rocketbufs.options;
