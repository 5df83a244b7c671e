package io.rocketbufs.grant;

/**
 * The name of a grant on its connection.
 *
 * @param id an array index, unique among the open grants of one side
 * @param serial number of the grant on its side, counted from 1; distinguishes grants that reuse an id
 */
record GrantName(int id, int serial) {
    @Override
    public String toString() {
        return id + " (serial " + serial + ")";
    }
}
