package io.rocketbufs;

import java.util.Locale;

/** The role of the connecting side of a connection. The connecting side sends it to the listening side. */
public enum Role {
    /** The connecting side sends: the listening side has the RIn. */
    PUBLISHER(1),
    /** The connecting side receives: the listening side has the ROut. */
    SUBSCRIBER(2),
    /** Both sides send and receive. */
    PEER(3);

    private final int code;

    Role(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static Role of(int code) {
        for (Role role : values()) {
            if (role.code == code) {
                return role;
            }
        }
        throw new IllegalArgumentException("role=" + code + " is unknown");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
