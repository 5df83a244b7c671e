/** What applications pass in and the engine works by: options of buffers and subscriptions, and their vocabulary. */
package io.rocketbufs.options;
