/// The built-in functions without reads of tables, beside those that are declared immutable.
///
/// A function that is not listed, such as one of a later version of the server, counts as reading something
/// that is not reported. Text search configurations, enumerations and names are read from the catalog, whose
/// version the feed watches.
enum HarmlessFunctions {
    static let names: Set<String> = Set(
        """
        anytextcat array_to_json array_to_string clock_timestamp concat concat_ws current_database current_query
        current_schema current_schemas current_setting current_user date date_cmp_timestamptz date_eq_timestamptz
        date_ge_timestamptz date_gt_timestamptz date_le_timestamptz date_lt_timestamptz date_ne_timestamptz
        date_part date_trunc enum_first enum_last enum_range extract format gen_random_uuid generate_series
        get_current_ts_config getdatabaseencoding getpgusername in_range interval_pl_timestamptz json_agg
        json_agg_transfn json_build_array json_build_object json_object_agg json_object_agg_transfn
        json_populate_record json_populate_recordset json_to_record json_to_recordset json_to_tsvector jsonb_agg
        jsonb_agg_finalfn jsonb_agg_transfn jsonb_build_array jsonb_build_object jsonb_object_agg
        jsonb_object_agg_finalfn jsonb_object_agg_transfn jsonb_path_exists_tz jsonb_path_match_tz
        jsonb_path_query_array_tz jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record
        jsonb_populate_recordset jsonb_to_record jsonb_to_recordset jsonb_to_tsvector length make_timestamptz money
        now numeric overlaps pg_backend_pid pg_column_size pg_sleep pg_typeof phraseto_tsquery plainto_tsquery
        quote_literal quote_nullable random row_to_json session_user statement_timestamp textanycat time timeofday
        timestamp timestamp_cmp_timestamptz timestamp_eq_timestamptz timestamp_ge_timestamptz
        timestamp_gt_timestamptz timestamp_le_timestamptz timestamp_lt_timestamptz timestamp_ne_timestamptz
        timestamptz timestamptz_cmp_date timestamptz_cmp_timestamp timestamptz_eq_date timestamptz_eq_timestamp
        timestamptz_ge_date timestamptz_ge_timestamp timestamptz_gt_date timestamptz_gt_timestamp
        timestamptz_le_date timestamptz_le_timestamp timestamptz_lt_date timestamptz_lt_timestamp
        timestamptz_mi_interval timestamptz_ne_date timestamptz_ne_timestamp timestamptz_pl_interval timetz timezone
        to_char to_date to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector transaction_timestamp
        ts_headline ts_match_tq ts_match_tt version websearch_to_tsquery
        bernoulli system
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Changes a setting of the session.
    static let settingFunction = "set_config"
}
