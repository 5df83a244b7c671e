/** Strict reading of configurations: every error names the key, file and line. */
package io.rocketbufs.settings;
