package io.rocketbufs.grant;

/**
 * The name of a grant on its connection.
 *
 * @param id an array index, unique among the grants of a side that have not ended
 * @param serial number of the grant on its side, counted from 1, because ids are reused
 */
record GrantName(int id, int serial) {
    @Override
    public String toString() {
        return id + " (serial " + serial + ")";
    }
}
