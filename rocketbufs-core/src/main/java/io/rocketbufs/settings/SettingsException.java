package io.rocketbufs.settings;

import com.typesafe.config.ConfigOrigin;

/** A configuration error. The message names the key, file and line, and the valid values. */
public final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception whose message consists of the value's origin, its key and the error. */
    public SettingsException(ConfigOrigin origin, String key, String what) {
        super(place(origin) + key + ": " + what);
    }

    private static String place(ConfigOrigin origin) {
        return origin == null ? "" : origin.description() + ": ";
    }
}
