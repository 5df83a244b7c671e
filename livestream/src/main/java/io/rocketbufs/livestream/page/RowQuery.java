package io.rocketbufs.livestream.page;

import io.rocketbufs.web.ApiQuery;
import io.rocketbufs.web.Top;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A request for a list of streams, edges or viewers, which the server filters, sorts and truncates.
 *
 * @param <R> type of the list's rows
 * @param <S> type of the sort orders that a request can specify
 */
final class RowQuery<R, S extends Enum<S> & RowQuery.Sort<R>> {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1000;

    private final String part;
    private final S sort;
    private final int limit;

    /** A sort order of rows, with the filtering of rows and their conversion to JSON. */
    interface Sort<R> {
        /** Returns the comparator of this sort order. */
        Comparator<R> order();

        /** Returns true if a row contains the text, which must be in lower case. */
        boolean contains(R row, String part);

        /** Returns a row as a JSON object. */
        Map<String, Object> json(R row);
    }

    /**
     * Parses the parameters of a request.
     *
     * @param otherwise the sort order if the request specifies none
     * @throws IllegalArgumentException naming the invalid parameter and the allowed values
     */
    RowQuery(Map<String, String> parameters, S otherwise) {
        ApiQuery query = new ApiQuery(parameters, "filter", "sort", "limit");
        String text = query.text("filter");
        this.part = text == null ? "" : text.toLowerCase(Locale.ROOT);
        this.sort = query.choice("sort", otherwise);
        this.limit = query.number("limit", 1, MAX_LIMIT, DEFAULT_LIMIT);
    }

    /** Returns the response as a JSON object, with the rows under the given name. */
    Map<String, Object> select(List<R> all, String name) {
        List<R> matching = new ArrayList<>(all.size());
        for (R row : all) {
            if (part.isEmpty() || sort.contains(row, part)) {
                matching.add(row);
            }
        }
        List<R> shown = Top.of(matching, sort.order(), limit);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("total", all.size());
        answer.put("matching", matching.size());
        answer.put("shown", shown.size());
        answer.put(name, shown.stream().map(sort::json).toList());
        return answer;
    }
}
