/** Read-only counters and one MeterBinder that exposes them. */
package io.rocketbufs.metrics;
