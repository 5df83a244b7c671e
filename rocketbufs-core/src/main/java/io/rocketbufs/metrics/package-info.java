/** Read-only counters, and a MeterBinder that exposes them. */
package io.rocketbufs.metrics;
