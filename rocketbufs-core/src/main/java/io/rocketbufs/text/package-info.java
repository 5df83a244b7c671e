/** The textual forms of addresses, failures and names, which are the same in every log line, error and page. */
package io.rocketbufs.text;
