/** Strict reading of configuration: every error names the key, file and line. */
package io.rocketbufs.settings;
