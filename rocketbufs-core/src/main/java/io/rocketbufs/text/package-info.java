/** The textual forms of addresses and failures, which are the same in every log line, error and page. */
package io.rocketbufs.text;
