/** Strict reading of configuration: whatever is wrong is named with its key, file and line. */
package io.rocketbufs.settings;
