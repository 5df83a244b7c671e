/** The options that applications pass in for buffers and subscriptions, and the enums that these options use. */
package io.rocketbufs.options;
